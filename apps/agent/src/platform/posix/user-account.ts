import { ToolFailure } from '../../tool-failure.ts'
import type { ScriptStart } from '../platform.ts'

/** An account of the machine. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

/** How a system finds its users. */
export interface UserSystem {
  /** Undefined when there is no such account. */
  account(name: string): Promise<Account | undefined>
  /** The name of the user who is signed in: at the screen of the machine, else elsewhere. */
  signedIn(): Promise<string | undefined>
}

/**
 * The account that a script asks for; undefined for that of the agent.
 * @throws ToolFailure when there is none, or the agent may not use it
 */
export async function otherAccountFor(
  { runAs, runAsUser }: Pick<ScriptStart, 'runAs' | 'runAsUser'>,
  on: UserSystem,
  ownUid = process.getuid?.(),
): Promise<Account | undefined> {
  if (runAs !== 'user') return undefined
  const name = runAsUser ?? (await on.signedIn())
  if (name === undefined) throw new ToolFailure('NO_USER_SESSION', 'no user is signed in at the machine')
  const account = await on.account(name)
  if (account === undefined) throw new ToolFailure('NOT_FOUND', `the machine has no account ${name}`)
  if (account.uid === ownUid) return undefined
  if (ownUid === 0) return account
  throw new ToolFailure('NOT_PERMITTED', `only an agent that runs as root runs scripts as ${name}`)
}

/** The account in a line of `/etc/passwd`, if it has this name. */
export function accountIn(line: string, wanted: string): Account | undefined {
  const [name = '', , uid = '', gid = '', , home = '', shell = ''] = line.trimEnd().split(':')
  if (name !== wanted || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) return undefined
  return { name, uid: Number(uid), gid: Number(gid), home: home || '/', shell: shell || '/bin/sh' }
}
