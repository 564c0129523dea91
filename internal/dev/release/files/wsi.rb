cask "wsi" do
  arch arm: "arm64", intel: "amd64"
  os macos: "darwin", linux: "linux"

  version "{{.Version}}"
  sha256 arm:          "{{.Archives.darwin_arm64.Sum}}",
         x86_64:       "{{.Archives.darwin_amd64.Sum}}",
         arm64_linux:  "{{.Archives.linux_arm64.Sum}}",
         x86_64_linux: "{{.Archives.linux_amd64.Sum}}"

  url "{{.Downloads}}/wsi_#{version}_#{os}_#{arch}.tar.gz"
  name "wsi"
  desc "Carry opaque values of MCP servers between the tool calls of an agent"
  homepage "{{.Homepage}}"

  folder = "wsi_#{version}_#{os}_#{arch}"

  binary "#{folder}/bin/wsi"
{{- range .Pages}}
  manpage "#{folder}/{{.}}"
{{- end}}
  bash_completion "#{folder}/share/bash-completion/completions/wsi"
  fish_completion "#{folder}/share/fish/vendor_completions.d/wsi.fish"
  zsh_completion "#{folder}/share/zsh/site-functions/_wsi"

  zap trash: [
    "~/.local/state/wsi",
    "~/Library/Application Support/wsi",
  ]

  caveats <<~EOS
    Begin with: wsi setup
    Before you uninstall wsi, run: wsi remove
  EOS
end
