// Builds the agent's executables.
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { readConfig } from '@muster/kit/config.ts'
import { agentVersion } from '../apps/agent/src/version.ts'
import { buildExecutable } from './agent-build/executable.ts'
import { buildMsi } from './agent-build/msi.ts'
import { made } from './agent-build/runtime.ts'
import { signatureSettings, signingCertificate } from './agent-build/signing-settings.ts'
import { targetsNamed } from './agent-build/targets.ts'
import { signForWindows } from './agent-build/windows-signature.ts'

const usage =
  'Usage: npm run build:agent -- [--version 1.2.3] [--trusted-root root.json] [--out dist/agent] [--target linux-x64 …] [--msi]\n'

function readArguments() {
  try {
    return parseArgs({
      options: {
        version: { type: 'string', default: agentVersion },
        'trusted-root': { type: 'string' },
        out: { type: 'string', default: 'dist/agent' },
        target: { type: 'string', multiple: true },
        msi: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const values = readArguments()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}

const mebibytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1))
const trustedRootFile = values['trusted-root']
const trustedRoot = trustedRootFile === undefined ? undefined : await readFile(trustedRootFile, 'utf8')
const certificate = signingCertificate(readConfig(signatureSettings))
const sizes: Record<string, object> = {}
for (const target of targetsNamed(values.target)) {
  const name = `${target.os}-${target.arch}`
  const path = join(await made(resolve(values.out, values.version, name)), target.executable)
  await buildExecutable({ target, release: { version: values.version, trustedRoot }, to: path, certificate })
  const content = await readFile(path)
  const compressed = await promisify(zstdCompress)(content)
  sizes[name] = { path, bytes: content.length, compressedBytes: compressed.length }
  const size = `${mebibytes(content.length)} MiB, ${mebibytes(compressed.length)} MiB compressed`
  process.stdout.write(`${path}  ${values.version} for ${name}: ${size}\n`)
  if (target.platform !== 'win32') continue
  if (certificate === undefined)
    process.stdout.write('warning: built without a signature for Windows, see docs/install.md\n')
  if (!values.msi) continue
  const msi = path.replace(/\.exe$/, '.msi')
  await buildMsi(path, msi, { arch: target.arch, version: values.version })
  if (certificate !== undefined) await signForWindows(msi, certificate)
  process.stdout.write(`${msi}\n`)
}
const summary = join(await made(resolve(values.out, values.version)), 'sizes.json')
await writeFile(summary, `${JSON.stringify(sizes, null, 2)}\n`)
if (trustedRoot === undefined)
  process.stdout.write(
    'warning: built without a trusted root; these agents refuse every update until they get one with --trusted-root\n',
  )
