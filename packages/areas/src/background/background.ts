// What an area does in workers. It is separate from the area's own value, so that workers load no handlers.

import type { ChangeFollower } from '../fleet/devices/changes/change-follower.ts'
import type { Arrival } from './arrival.ts'
import type { Counter } from './counter.ts'
import type { DeliveryKind } from './delivery-kind.ts'
import type { DeploymentKind } from './deployment-kind.ts'
import type { Evaluator } from './evaluator.ts'
import type { Follower } from './follower.ts'
import type { Gauge } from './gauge.ts'
import type { Job } from './job.ts'
import type { Observer } from './observer.ts'
import type { Outcome } from './outcome.ts'
import type { PlanKind } from './plan-kind.ts'
import type { RecordStore } from './record.ts'
import type { ScriptUse } from './script-use.ts'

export interface Background {
  readonly jobs?: readonly Job[]
  readonly records?: readonly RecordStore[]
  readonly outcomes?: readonly Outcome[]
  readonly arrivals?: readonly Arrival[]
  readonly followers?: readonly Follower[]
  readonly changeFollowers?: readonly ChangeFollower[]
  readonly observers?: readonly Observer[]
  readonly counters?: readonly Counter[]
  /** Only one area judges heartbeats. */
  readonly evaluators?: readonly Evaluator[]
  readonly deliveryKinds?: readonly DeliveryKind[]
  readonly deploymentKinds?: readonly DeploymentKind[]
  readonly planKinds?: readonly PlanKind[]
  readonly scriptUses?: readonly ScriptUse[]
  readonly gauges?: readonly Gauge[]
}

export const background = (declared: Background): Background => declared
