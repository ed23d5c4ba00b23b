// The functions of devices that other areas and the worker may use.
export { changeFollower } from './changes/change-follower.ts'
export { type FollowedFilter, followFilters, ownersOfStateFilters } from './changes/followed-filters.ts'
export { asDevice, deviceById, deviceColumns, stateColumns } from './devices.queries.ts'
export { fieldValue } from './filter/compile-filter.ts'
export { conditionOf } from './filter/filter-condition.ts'
export type { HeartbeatRead, Heartbeats } from './metrics/heartbeat-rows.ts'
export { heartbeatRowType, storeHeartbeats } from './metrics/heartbeats.ts'
export { readKnownDevices, readPlaces, readSequences } from './metrics/known-devices.queries.ts'
export { noteLateMetrics } from './metrics/late-metrics.ts'
export { ensureMetricPartitions } from './metrics/retention.jobs.ts'
export { containing, isNamed, partLengthLeast } from './named-devices.ts'
export { tellAdministrators } from './registration/device-notices.ts'
export { dismissDuplicates, forgetDuplicates, noteDuplicates } from './registration/duplicates.ts'
export {
  addDevice,
  completeDevice,
  findRegistered,
  findTwins,
  giveKey,
  keyOf,
  lockMachine,
  type Machine,
  prepareDevice,
  type Registered,
} from './registration/registration.ts'
export { storeWatchdogKeys, type WatchdogKey } from './registration/watchdog-keys.ts'
export { mergeCustomValues, removeCustomValues, setCustomValues } from './state/custom-values.queries.ts'
export { changeEvents, type DevicePlace, statusEvents } from './state/device-changes.ts'
export { changeStatuses, changeUpdating, noVerdict, type Verdict, verdictEvents } from './state/device-status.ts'
export { changeTag } from './state/device-tags.ts'
export { aboutDevice, keepChanges, keepEvents } from './state/kept-events.ts'
export {
  markDecommissioned,
  moveDeviceTo,
  placeDevice,
  quarantineDevice,
  releaseDevice,
  setAutoUpdate,
} from './state/lifecycle.queries.ts'
export { place } from './state/place.sql.ts'
export {
  devicesOfNode,
  endDecommissioned,
  endOverdueUpdates,
  nodesOfDevices,
  silentDevices,
  statusRowsPerStatement,
} from './state/presence.queries.ts'
export { type ReportedAgent, storeReportedAgents } from './state/reported-agents.ts'
export { storeSealingKeys } from './state/sealing-keys.ts'
export { type GroupDevices, maySee, visibleDevices, visibleRows } from './visibility.ts'
