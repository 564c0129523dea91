// Reads command lines from standard input, a JSON array, and prints which of them PowerShell would run as one command.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const require = createRequire(process.argv[2] + "/")
const { Parser, Language } = require("web-tree-sitter")
await Parser.init()
const parser = new Parser()
parser.setLanguage(await Language.load(require.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm")))
const answers = JSON.parse(readFileSync(0, "utf8")).map((line) => {
  const root = parser.parse(line).rootNode
  const commands = root.descendantsOfType("command")
  return !root.hasError && commands.length === 1 && commands[0].text === line
})
console.log(JSON.stringify(answers))
