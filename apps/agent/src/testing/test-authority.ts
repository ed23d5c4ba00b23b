import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Credentials } from './fake-server.ts'

const openssl = (folder: string, ...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** An untrusted certificate authority, and a server certificate for `localhost` from it. */
export async function testAuthority(folder: string): Promise<{ root: string; server: Credentials }> {
  const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=An authority of its own', '-days', '2']
  await openssl(folder, 'req', '-x509', ...newKey, ...authority)
  const server = ['-keyout', 'server.key', '-out', 'server.pem', '-subj', '/CN=A server', '-days', '2']
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-addext', 'basicConstraints=critical,CA:FALSE']
  await openssl(folder, 'req', '-x509', '-CA', 'ca.pem', '-CAkey', 'ca.key', ...newKey, ...server, ...names)
  const [key, cert] = await Promise.all(
    ['server.key', 'server.pem'].map((name) => readFile(join(folder, name), 'utf8')),
  )
  return { root: join(folder, 'ca.pem'), server: { key: key ?? '', cert: cert ?? '' } }
}
