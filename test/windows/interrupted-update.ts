// Runs under wine, as the executable that is updated: an update that ends at a change of the disk, the start after it
// with another attempt, or an update while another program holds the new executable.
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs'
import { writeDurably } from '../../apps/agent/src/durable-file.ts'
import { UpdateSteps } from '../../apps/agent/src/update/attempt.ts'
import { checkReportedVersion } from '../../apps/agent/src/update/fetch-process.ts'
import { hashOf, Installation } from '../../apps/agent/src/update/installation.ts'
import { UpdateJournal } from '../../apps/agent/src/update/update-journal.ts'
import { refusalFrom } from '../../apps/agent/src/update/update-refused.ts'

const [, , what = '', data = '', sha256 = '', changes = ''] = process.argv
/** UV_FS_O_EXLOCK of the runtime: no other handle to the file, as antivirus software has it. */
const alone = 0x1000_0000
let left = Number(changes)
const checkpoint = () => {
  if (what === 'update' && left-- === 0) process.kill(process.pid, 'SIGKILL')
}
const { current } = Installation.ofProcess(process.execPath)
const installation = new Installation(current, checkpoint)
const steps = new UpdateSteps(installation, new UpdateJournal(data, checkpoint))

const offer = { version: '2.0.0', sha256, size: 1, url: 'http://localhost/' }

async function main(): Promise<void> {
  if (what === 'update') {
    await steps.begin(offer, '1.0.0')
    await steps.install()
    writeFileSync(`${data}/whole`, '')
  } else if (what === 'held') {
    const held = openSync(installation.next, alone)
    const check = await reasonOf(() => checkReportedVersion(installation.next, '2.0.0'))
    await steps.begin(offer, '1.0.0')
    const replacing = await reasonOf(() => steps.install())
    const kept = await hashOf(current)
    closeSync(held)
    const later = await reasonOf(() => steps.install())
    // For a moment only, as a reader of the file does.
    const read = openSync(`${data}/settings`, alone | constants.O_CREAT | constants.O_RDWR)
    setTimeout(() => closeSync(read), 300)
    await writeDurably(`${data}/settings`, 'new')
    writeFileSync(
      `${data}/held.json`,
      JSON.stringify({
        check,
        replacing,
        later,
        kept,
        current: await hashOf(current),
        settings: readFileSync(`${data}/settings`, 'utf8'),
      }),
    )
  } else {
    const { trial } = await steps.beforeStart()
    const started = await hashOf(current)
    if (trial === undefined) await steps.begin(offer, '1.0.0').then(() => steps.install())
    writeFileSync(
      `${data}/start.json`,
      JSON.stringify({ trial: trial?.version, started, current: await hashOf(current) }),
    )
  }
}

const reasonOf = (work: () => Promise<void>) =>
  work().then(
    () => 'done',
    (error: unknown) => refusalFrom(error).reason,
  )

void main()
