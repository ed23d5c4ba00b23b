import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const program = '/usr/bin/chromium'
const advice = `Install it by hand (Debian: apt-get install chromium) so that ${program} exists.`
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Debian's Chromium without a window, with a temporary profile. The package is installed if it is missing.
 * @throws Error with the package to install, if it cannot be installed
 */
export async function launchBrowser(): Promise<Browser> {
  await ensureChromium()
  return chromium.launch({ executablePath: program, headless: true, args: switches, timeout: 120_000 })
}

const exec = promisify(execFile)
const lockFile = join(tmpdir(), 'muster-chromium.lock')
const installMs = 600_000
const installation =
  `[ -x ${program} ] || { apt-get update -q && ` +
  'apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 chromium fonts-liberation; }'

// Test files run in several processes: the lock lets one install and the others wait until its package is complete.
async function ensureChromium(): Promise<void> {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!mayInstall) {
    if (existsSync(program)) return
    throw new Error(`This test needs Chromium. ${advice}`)
  }
  const env = { PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin', DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await exec('flock', [lockFile, 'sh', '-c', installation], { env, timeout: installMs, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    throw new Error(`Chromium could not be installed: ${lastLine(error)}. ${advice}`)
  }
  if (!existsSync(program)) throw new Error(`The package chromium is installed but ${program} is missing. ${advice}`)
}

function lastLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  return (stderr.trim() || String(error)).split('\n').at(-1) ?? ''
}
