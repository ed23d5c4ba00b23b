import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'

/** A mail server that keeps what it receives. It ends with the test file. */
export async function mailServer(
  options: SMTPServerOptions = {},
): Promise<{ readonly mails: string[]; readonly server: SMTPServer; readonly port: number }> {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    disableReverseLookup: true,
    ...(options.secure === true ? {} : { disabledCommands: ['STARTTLS'] }),
    ...options,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString())
        if (options.onData === undefined) done()
        else options.onData(stream, session, done)
      })
    },
  })
  // Clients that hang up are no fault of the server.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  afterAll(() => server.close())
  const address = listening.address()
  return { mails, server, port: typeof address === 'object' && address !== null ? address.port : 0 }
}
