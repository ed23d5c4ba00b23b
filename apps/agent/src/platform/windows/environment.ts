import { environment } from '../../config.ts'

/** What programs of Windows need; nothing else of the agent's environment, which may hold an enrollment key. */
const passedOn = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATH',
  'PATHEXT',
  'TEMP',
  'TMP',
  'ProgramData',
  'ALLUSERSPROFILE',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'CommonProgramFiles',
  'CommonProgramFiles(x86)',
  'CommonProgramW6432',
  'PUBLIC',
  'USERPROFILE',
  'USERNAME',
  'USERDOMAIN',
  'APPDATA',
  'LOCALAPPDATA',
  'COMPUTERNAME',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'OS',
]

/** The environment of a program that the agent starts. */
export function environmentOf(): Record<string, string> {
  const entries = passedOn.map((name) => [name, environment[name]] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** A folder that the system names, or its usual place. */
export const programData = (): string => environment.ProgramData ?? 'C:\\ProgramData'
export const systemDrive = (): string => environment.SystemDrive ?? 'C:'
