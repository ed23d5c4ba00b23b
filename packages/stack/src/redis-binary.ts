import { spawnSync } from 'node:child_process'
import { StackError } from './failure.ts'

/** A Redis (or Valkey) server program of this machine. */
export interface RedisBinary {
  readonly path: string
  readonly title: string
}

const leastMajor = 7
const programs = [
  ['redis-server', 'Redis'],
  ['valkey-server', 'Valkey'],
] as const

// The package names by package manager. Without a run level, Debian's package does not start its own service.
const packageManagers: { tool: string; steps: string[][] }[] = [
  {
    tool: 'apt-get',
    steps: [
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'redis-server'],
    ],
  },
  { tool: 'dnf', steps: [['sh', '-c', 'dnf install -y -q valkey || dnf install -y -q redis']] },
  { tool: 'apk', steps: [['sh', '-c', 'apk add --no-cache redis || apk add --no-cache valkey']] },
]

/** Finds a server on the PATH or, as root, installs one from the system's packages. Otherwise fails with install instructions. */
export function findRedis(say: (line: string) => void): RedisBinary {
  const found = onPath()
  if (found) return found
  const manager = packageManagers.find(({ tool }) => run(['sh', '-c', `command -v ${tool}`]).status === 0)
  if (process.getuid?.() === 0 && manager) {
    say(`Installing redis-server with ${manager.tool} …`)
    for (const step of manager.steps) {
      const done = run(step)
      if (done.status === 0) continue
      const reason = `${done.stderr ?? ''}`.trim().split('\n').at(-1) ?? ''
      throw new StackError(`Redis could not be installed: \`${step.join(' ')}\` failed (${reason}). ${advice}`)
    }
    const installed = onPath()
    if (installed) return installed
  }
  throw new StackError(`Muster needs Redis ${leastMajor} or later, and none is installed. ${advice}`)
}

const advice =
  'Install redis-server or valkey-server (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL.'

function onPath(): RedisBinary | undefined {
  for (const [program, name] of programs) {
    const where = run(['sh', '-c', `command -v ${program}`])
    if (where.status !== 0) continue
    const path = where.stdout.trim()
    const [, version, major] = /v=((\d+)[\d.]*)/.exec(run([path, '--version']).stdout) ?? []
    if (Number(major) >= leastMajor) return { path, title: `${name} ${version}` }
  }
  return undefined
}

function run([command = '', ...args]: string[]) {
  const path = [process.env.PATH, '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin'].filter(Boolean).join(':')
  const env = { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  return spawnSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] })
}
