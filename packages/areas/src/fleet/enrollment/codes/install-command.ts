/**
 * The command that installs the agent on Linux and macOS. It contains no secret and asks for the key or code on standard
 * input, so that it never appears in process lists, sudo logs or the shell history.
 */
export const installCommand = (publicUrl: string): string =>
  `file=$(mktemp) && curl -fsSL ${publicUrl}/api/v1/agents/install.sh -o "$file" && sudo sh "$file"`

/** The same for Windows: one line for a Command Prompt or PowerShell that runs as administrator. */
const windowsCommand = (publicUrl: string): string => {
  const script = `(New-Object Net.WebClient).DownloadString('${publicUrl}/api/v1/agents/install.ps1')`
  const work = `[Net.ServicePointManager]::SecurityProtocol = 'Tls12'; & ([scriptblock]::Create(${script}))`
  return `powershell -NoProfile -ExecutionPolicy Bypass -Command "${work}"`
}

/** The command for each operating system. */
export const installCommands = (publicUrl: string) => ({
  linux: installCommand(publicUrl),
  macos: installCommand(publicUrl),
  windows: windowsCommand(publicUrl),
})
