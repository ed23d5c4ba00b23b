import { z } from 'zod'

/** The settings for the Authenticode signature of executables and installers. */
export const signatureSettings = z.object({
  /** A certificate for code signing with its key (PKCS 12). */
  WINDOWS_SIGNING_PFX: z.string().optional(),
  /** A file with the password of it. */
  WINDOWS_SIGNING_PASSWORD_FILE: z.string().optional(),
  /** A time stamp (RFC 3161) keeps the signature valid after the certificate has expired. */
  WINDOWS_SIGNING_TIMESTAMP_URL: z
    .url({ protocol: /^https?$/, error: 'must look like http://timestamp.example.com' })
    .optional(),
})

export interface SigningCertificate {
  pfx: string
  passwordFile: string
  timestampUrl: string | undefined
}

/** The configured certificate; undefined without one. */
export function signingCertificate(settings: z.output<typeof signatureSettings>): SigningCertificate | undefined {
  const { WINDOWS_SIGNING_PFX: pfx, WINDOWS_SIGNING_PASSWORD_FILE: passwordFile } = settings
  if (pfx === undefined && passwordFile === undefined) return undefined
  if (pfx === undefined || passwordFile === undefined)
    throw new Error('WINDOWS_SIGNING_PFX and WINDOWS_SIGNING_PASSWORD_FILE belong together')
  return { pfx, passwordFile, timestampUrl: settings.WINDOWS_SIGNING_TIMESTAMP_URL }
}
