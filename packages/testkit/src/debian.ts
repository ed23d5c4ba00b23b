import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const installMs = 600_000

/**
 * Installs packages of Debian unless this program of theirs is there.
 * @throws Error when they are missing and this user cannot install them
 */
export async function debianPackages(program: string, ...packages: readonly string[]): Promise<void> {
  if (existsSync(program)) return
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' }
  // Tests in other processes may install at the same time.
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300']
  const install = ['install', '--yes', '--no-install-recommends', ...options, ...packages]
  const settings = { env, timeout: installMs, maxBuffer: 64 * 1024 * 1024 }
  for (const args of [['update', ...options], install]) await promisify(execFile)('apt-get', args, settings)
  if (!existsSync(program)) throw new Error(`${packages.join(' ')} did not bring ${program}`)
}
