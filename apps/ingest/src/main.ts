import '@muster/kit/production.ts'

import { createLog } from '@muster/kit/log.ts'
import { createMetrics, observation } from '@muster/kit/metrics.ts'
import { runProcess } from '@muster/kit/service.ts'
import { readIngestConfig } from './config.ts'
import { createIngest } from './ingest.ts'

const config = readIngestConfig()
const log = createLog('ingest', config.LOG_LEVEL)
const registry = createMetrics('ingest')
const ingest = createIngest(config, log, registry)
const observed = observation(registry, config, ingest.health)

await runProcess('ingest', [observed, ingest], log, () => ({
  port: ingest.port,
  metricsPort: observed.port,
  nodeId: config.NODE_ID,
}))
