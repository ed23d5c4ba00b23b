import '@muster/kit/production.ts'

import { requireEncryptedAddresses } from '@muster/areas/fleet/enrollment/index.ts'
import { readConfig } from '@muster/kit/config.ts'
import { createLog } from '@muster/kit/log.ts'
import { runProcess } from '@muster/kit/service.ts'
import { workerSettings } from './config.ts'
import { createWorker } from './worker.ts'

const settings = readConfig(workerSettings)
requireEncryptedAddresses({ PUBLIC_URL: settings.PUBLIC_URL, ALLOW_PLAINTEXT: settings.ALLOW_PLAINTEXT })
const log = createLog('worker', settings.LOG_LEVEL)
const { services, info } = await createWorker(settings, log)
await runProcess('worker', services, log, info)
