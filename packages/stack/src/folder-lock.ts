import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode, StackError } from './failure.ts'
import { identify, isRunning, type ProcessId } from './process-id.ts'

const Holder = z.object({ pid: z.number(), startedAt: z.string() })

/** Lets one launcher at a time use a data folder. A lock of a dead process is taken over. @returns a function that releases it */
export function lockFolder(folder: string): () => void {
  const lock = join(folder, 'launcher.lock')
  const mine = `${lock}.${process.pid}`
  writeFileSync(mine, JSON.stringify(identify(process.pid)))
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (createLock(mine, lock)) return () => rmSync(lock, { force: true })
      const holder = readHolder(lock)
      if (holder && isRunning(holder)) {
        throw new StackError(
          `The data folder ${folder} is in use by another Muster launcher (process ${holder.pid}). Stop that one, or set MUSTER_DATA_DIR to another folder.`,
        )
      }
      removeDeadLock(lock, holder)
    }
  } finally {
    rmSync(mine, { force: true })
  }
  throw new StackError(`The data folder ${folder} is being locked by several Muster launchers at once. Start only one.`)
}

// A hard link appears together with its content, so a lock without its holder's name is never visible.
function createLock(mine: string, lock: string): boolean {
  try {
    linkSync(mine, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

// When several launchers find the same dead holder, the rename succeeds for one; it restores a lock that is not the dead one's.
function removeDeadLock(lock: string, dead: ProcessId | undefined): void {
  const aside = `${lock}.${process.pid}.dead`
  try {
    renameSync(lock, aside)
    const found = readHolder(aside)
    if (found && found.pid !== dead?.pid) createLock(aside, lock)
    rmSync(aside, { force: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

function readHolder(path: string): ProcessId | undefined {
  try {
    return Holder.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}
