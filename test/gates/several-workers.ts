// Several workers in one process, for tests that kill them together. The first argument is their number.
import { flushCompileCache } from 'node:module'
import { readConfig } from '@muster/kit/config.ts'
import { createLog } from '@muster/kit/log.ts'
import { workerSettings } from '../../apps/worker/src/config.ts'
import { createWorker } from '../../apps/worker/src/worker.ts'

/** What alerts need of a worker. The rest would cost most of the time of a start. */
const needed = /^(stores|deliveries|shards|followers|presence|alert-.*)$/
const settings = readConfig(workerSettings)
const log = createLog('worker', settings.LOG_LEVEL)
const workers = Array.from({ length: Number(process.argv[2]) }, async () => {
  const { services } = await createWorker(settings, log)
  for (const service of services) if (needed.test(service.name)) await service.run()
})
await Promise.all(workers)
// A process that is killed has no end at which this would be done.
flushCompileCache()
process.send?.({ ready: true })
