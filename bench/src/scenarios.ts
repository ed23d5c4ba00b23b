import { types } from '../types.bench.ts'
import type { Scenario } from './scenario.ts'
import { agentFootprint } from './scenarios/agent-footprint.ts'
import { alerts } from './scenarios/alerts.ts'
import { api } from './scenarios/api.ts'
import { bulk } from './scenarios/bulk.ts'
import { command } from './scenarios/command.ts'
import { consoleScreens } from './scenarios/console.ts'
import { deliveries } from './scenarios/deliveries.ts'
import { density } from './scenarios/density.ts'
import { deploy } from './scenarios/deploy.ts'
import { devices } from './scenarios/devices.ts'
import { groups } from './scenarios/groups.ts'
import { idleCost } from './scenarios/idle-cost.ts'
import { ingest } from './scenarios/ingest.ts'
import { login } from './scenarios/login.ts'
import { monitors } from './scenarios/monitors.ts'
import { policies } from './scenarios/policies.ts'
import { push } from './scenarios/push.ts'
import { state } from './scenarios/state.ts'
import { storm } from './scenarios/storm.ts'

/** All benchmarks by name, in the order in which `all` runs them. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ingest,
  density,
  'idle-cost': idleCost,
  push,
  storm,
  state,
  api,
  devices,
  command,
  bulk,
  deploy,
  groups,
  login,
  alerts,
  deliveries,
  monitors,
  policies,
  console: consoleScreens,
  'agent-footprint': agentFootprint,
  types,
}
