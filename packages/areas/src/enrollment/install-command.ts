/** The line that installs the agent on a Linux machine. Keys and codes consist of characters that no shell treats specially. */
export const installCommand = (publicUrl: string, option: '--key' | '--code', secret: string): string =>
  `curl -fsSL ${publicUrl}/api/v1/agents/install.sh | sudo sh -s -- ${option} ${secret}`
