import type { ScriptLanguage } from '@muster/wire/commands/scripts.ts'
import type { z } from 'zod'

export type Language = z.infer<typeof ScriptLanguage>
/** An operating system of devices. */
export type System = 'linux' | 'windows' | 'macos'

/** The operating systems that have each script language. */
export const languageSystems: Readonly<Record<Language, readonly System[]>> = {
  bash: ['linux', 'macos'],
  sh: ['linux', 'macos'],
  zsh: ['linux', 'macos'],
  python: ['linux', 'windows', 'macos'],
  powershell: ['windows', 'linux'],
  cmd: ['windows'],
  osascript: ['macos'],
}
