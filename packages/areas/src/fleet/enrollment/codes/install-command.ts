/**
 * The line that installs the agent on a Linux machine. It holds no secret: it asks for the key or code on standard input, so
 * that neither the process list nor the log of sudo nor the history of the shell ever shows it.
 */
export const installCommand = (publicUrl: string): string =>
  `file=$(mktemp) && curl -fsSL ${publicUrl}/api/v1/agents/install.sh -o "$file" && sudo sh "$file"`
