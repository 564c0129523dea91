#!/usr/bin/env node
// Starts the program that npm installed for this system. Hooks do not come here: wsi setup registers the program.
'use strict'

const { spawn } = require('node:child_process')
const { name, version, optionalDependencies } = require('../package.json')

const system = `${process.platform}-${process.arch}`
const file = process.platform === 'win32' ? 'wsi.exe' : 'wsi'

function fail(sentence) {
  console.error(`error: ${sentence}`)
  process.exit(1)
}

let program
if (!optionalDependencies[`${name}-${system}`]) {
  fail(`there is no wsi for ${system}`)
}
try {
  program = require.resolve(`${name}-${system}/bin/${file}`)
} catch {
  fail(`npm has not installed ${name}-${system}, the program for this system; to install it: npm install --global --include=optional ${name}@${version}`)
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit', windowsHide: true })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
child.on('error', (error) => fail(`${program} cannot be started: ${error.message}`))
child.on('exit', (status, signal) => {
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  } else {
    process.exit(status)
  }
})
