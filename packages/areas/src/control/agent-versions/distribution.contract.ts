import { anyone, raw } from '@muster/kit/contract.ts'
import { releaseVersion } from '@muster/wire/release.ts'
import { z } from 'zod'
import { ReleaseArchitecture, ReleaseSystem } from './versions.contract.ts'

/** Names of metadata as they stand in a repository: `timestamp.json`, `12.root.json`. */
const metadataName = z.string().regex(/^(timestamp|root|\d{1,9}\.(root|snapshot|targets))\.json$/)
const platformName = z.string().regex(/^(linux|darwin|windows)-(x64|arm64)$/)
const executableName = z.string().regex(/^([0-9a-f]{64}\.)?muster-agent$/)

/** What machines download before they have credentials. It is public and signed. */
export const distribution = {
  download: raw('GET', '/agents/download/:os/:arch', {
    summary:
      'Download the agent for a platform, by default the latest version. `format=msi` is the installer for Windows',
    access: anyone,
    transaction: 'own',
    input: z.object({
      os: ReleaseSystem,
      arch: ReleaseArchitecture,
      version: releaseVersion.optional(),
      format: z.enum(['executable', 'msi']).default('executable'),
    }),
    head: true,
    answers: [206, 302, 304, 416],
    refuses: [404],
    produces: 'application/octet-stream',
  }),
  installScript: raw('GET', '/agents/install.sh', {
    summary: 'Download the shell script that installs the agent on Linux and macOS',
    access: anyone,
    transaction: 'own',
    input: z.object({}),
    head: true,
    answers: [206, 304, 416],
    refuses: [404],
    produces: 'text/x-shellscript',
  }),
  windowsInstallScript: raw('GET', '/agents/install.ps1', {
    summary: 'Download the PowerShell script that installs the agent on Windows',
    access: anyone,
    transaction: 'own',
    input: z.object({}),
    head: true,
    answers: [206, 304, 416],
    refuses: [404],
    produces: 'text/plain',
  }),
  metadata: raw('GET', '/agents/releases/metadata/:name', {
    summary: 'Download signed release metadata (The Update Framework)',
    access: anyone,
    transaction: 'own',
    input: z.object({ name: metadataName }),
    head: true,
    answers: [206, 302, 304, 416],
    refuses: [404],
    produces: 'application/json',
  }),
  checksums: raw('GET', '/agents/releases/targets/:version/:name', {
    summary: 'Download the SHA-256 checksums of a version, or the signature of that list',
    access: anyone,
    transaction: 'own',
    input: z.object({ version: releaseVersion, name: z.enum(['SHA256SUMS', 'SHA256SUMS.sig']) }),
    head: true,
    answers: [206, 302, 304, 416],
    refuses: [404],
    produces: 'text/plain',
    alsoProduces: ['application/octet-stream'],
  }),
  target: raw('GET', '/agents/releases/targets/:version/:platform/:name', {
    summary: 'Download an executable by its path among the signed targets, with or without its hash in the name',
    access: anyone,
    transaction: 'own',
    input: z.object({ version: releaseVersion, platform: platformName, name: executableName }),
    head: true,
    answers: [206, 302, 304, 416],
    refuses: [404],
    produces: 'application/octet-stream',
  }),
}
