import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Holds the data folder by listening on a socket of the abstract name space, which the kernel takes back when the
 * process ends, even by SIGKILL; a file with a process id in it would outlive its writer.
 */
export async function claim(dataDirectory: string, part: 'agent' | 'watchdog'): Promise<(() => void) | undefined> {
  const name = createHash('sha256')
    .update(await realpath(dataDirectory))
    .digest('hex')
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(`\0muster-${part}-${name}`, () => {
      server.unref()
      resolve(() => server.close())
    })
  })
}
