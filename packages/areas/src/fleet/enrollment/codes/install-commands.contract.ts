import { z } from 'zod'

/** The commands that install the agent. They ask for the key or code on standard input. */
export const InstallCommands = z.object({
  linux: z.string(),
  macos: z.string(),
  windows: z.string().describe('For a Command Prompt or PowerShell that runs as administrator.'),
})
export type InstallCommands = z.infer<typeof InstallCommands>
