// An agent with the fault that its version names: the program of releases that must be rolled back.
import { Heartbeat } from '../../apps/agent/src/heartbeat.ts'
import { release } from '../../apps/agent/src/release.ts'

const [, fault = ''] = /-([a-z]+)\./.exec(release.version) ?? []
const asAgent = process.argv[2]?.startsWith('--') === true && process.argv[2] !== '--version'

if (asAgent && fault === 'exits') process.exit(1)
if (asAgent && fault === 'hangs') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
// Nothing listens there.
if (asAgent && fault === 'deaf') process.argv.push('--ingest', 'ws://127.0.0.1:1/agent')
if (fault === 'mute') Heartbeat.prototype.setInterval = () => undefined

void import('../../apps/agent/src/main.ts')
