import { spawnSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { StackError } from './failure.ts'

/** The unprivileged system user that runs Postgres and Redis when Muster itself runs as root. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const made = 'muster'

/** Undefined when this process is not root: everything then runs as its user. Creates a system user if needed. */
export function engineAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const existing = findAccount('postgres') ?? findAccount(made)
  if (existing) return existing
  const ways: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', made]],
    ['adduser', ['-S', '-H', '-D', '-s', '/sbin/nologin', made]],
  ]
  for (const [command, args] of ways) {
    spawnSync(command, args, { stdio: 'ignore' })
    const account = findAccount(made)
    if (account) return account
  }
  throw new StackError(
    `PostgreSQL refuses to run as root and the user ${made} could not be created. Run \`useradd --system ${made}\`, or start Muster as another user.`,
  )
}

function findAccount(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((which) => {
    const asked = spawnSync('id', [which, name], { encoding: 'utf8' })
    return asked.status === 0 ? Number(asked.stdout.trim()) : undefined
  })
  return uid && gid ? { name, uid, gid } : undefined
}

/** Whether the account (or this process, without one) can enter a folder and all its parents. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  const asked = spawnSync('/bin/sh', ['-c', 'cd "$1" && test -r .', 'sh', folder], {
    cwd: '/',
    stdio: 'ignore',
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  return asked.status === 0
}

/** Makes the account the owner of a folder and its content, for example after a copy or a start as another user. */
export async function chownAll(folder: string, account: Account | undefined): Promise<void> {
  if (!account || (await stat(folder)).uid === account.uid) return
  spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, folder], { stdio: 'ignore' })
}
