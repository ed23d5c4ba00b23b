import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ControlAddress } from '../platform.ts'

type Part = 'agent' | 'watchdog'

/** A path that reaches a socket in a folder, however long the folder's own path is. */
export type SocketPath = (directory: string, name: string) => Promise<ControlAddress>

/** Two simultaneous claims both give way; a later attempt of one of them succeeds. */
const attemptsMax = 4
const attemptDelayMs = 100

/**
 * Holds the data folder by listening on a socket inside it, which only the owner of the folder can reach. The kernel closes
 * the socket when its process ends, even by SIGKILL, so a file left by a crash or a power failure blocks no later start.
 *
 * Each claim has its own file name, listens first and looks for other claims second. Of two claims at least one therefore
 * sees the other, and a claim that sees another one gives way: two processes never hold the folder together.
 */
export const createClaim =
  (socketPath: SocketPath) =>
  async (directory: string, part: Part): Promise<(() => void) | undefined> => {
    for (let attempt = 1; ; attempt++) {
      const own = `${part}-${randomBytes(8).toString('hex')}.claim`
      const release = await listen(await socketPath(directory, own))
      try {
        if (await isOnlyOne(directory, socketPath, part, own)) return release
      } catch (error) {
        release()
        throw error
      }
      release()
      if (attempt === attemptsMax) return undefined
      await pause(Math.random() * attemptDelayMs)
    }
  }

/** @returns a function that closes the socket and removes its file */
async function listen({ path, close }: ControlAddress): Promise<() => void> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  server.once('close', () => void close())
  return () => void server.close()
}

/** Removes files of dead claims. Also false when this claim lost its own file, because a later one could not see it. */
async function isOnlyOne(directory: string, socketPath: SocketPath, part: Part, own: string): Promise<boolean> {
  const claims = (await readdir(directory)).filter((name) => name.startsWith(`${part}-`) && name.endsWith('.claim'))
  const others = claims.filter((name) => name !== own)
  const alive = await Promise.all(others.map(async (name) => isAlive(await socketPath(directory, name))))
  await Promise.all(
    others.filter((_, index) => !alive[index]).map((name) => rm(join(directory, name), { force: true })),
  )
  return claims.includes(own) && !alive.includes(true)
}

/** Only a refused connection proves that no process listens: a hung process still holds its claim. */
async function isAlive({ path, close }: ControlAddress): Promise<boolean> {
  const answer = await new Promise<string | undefined>((resolve) => {
    const socket = createConnection(path, () => resolve(undefined))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    socket.on('connect', () => socket.destroy())
  })
  await close()
  return answer !== 'ECONNREFUSED' && answer !== 'ENOENT'
}
