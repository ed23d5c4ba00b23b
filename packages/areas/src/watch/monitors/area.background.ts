import { handleOn } from '@muster/db/database.ts'
import { background } from '../../background/background.ts'
import { observe } from './checks/observe.ts'
import { monitorProbes, monitorSweep } from './probes/place-probes.jobs.ts'
import { monitorRetention } from './retention.jobs.ts'

export default background({
  jobs: [monitorProbes, monitorSweep, monitorRetention],
  observers: [
    {
      kind: 'monitors',
      store: async (client, observed, { log }) => ({ events: await observe(handleOn(client), observed, log) }),
    },
  ],
})
