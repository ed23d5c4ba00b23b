// What other areas may use of targets.
export { countsBySite, isInSavedSet } from './count-devices.ts'
export { devicesOfTargetsSql, inTargets, inTargetsSql } from './in-targets.ts'
export {
  conditionOfTargets,
  deviceCountOf,
  dropTargets,
  mayTarget,
  type Owner,
  readTargets,
  saveNamedDevices,
  saveTargets,
} from './target-sets.ts'
export { seenAmong, shownFilters, shownTargets, withTargetsWithinReach } from './within-reach.ts'
