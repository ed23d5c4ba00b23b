import { execFile } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { SigningCertificate } from './signing-settings.ts'

/** Signs an executable or an MSI in its place. Needs the program osslsigncode. */
export async function signForWindows(path: string, certificate: SigningCertificate): Promise<void> {
  const { pfx, passwordFile, timestampUrl } = certificate
  const signed = `${path}.${process.pid}.signed`
  const stampArgs = timestampUrl === undefined ? [] : ['-ts', timestampUrl]
  const args = ['sign', '-pkcs12', pfx, '-readpass', passwordFile, '-h', 'sha256', '-n', 'Muster Agent', ...stampArgs]
  try {
    await promisify(execFile)('osslsigncode', [...args, '-in', path, '-out', signed])
    await rename(signed, path)
  } catch (error) {
    await rm(signed, { force: true })
    throw new Error(`${path} could not be signed: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
