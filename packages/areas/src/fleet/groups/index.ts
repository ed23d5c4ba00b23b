// The functions of device groups that other areas may use.
export { visibleGroups } from './group.queries.ts'
export { dynamicGroups, leaveGroups, leaveGroupsOfOtherSites } from './membership.ts'
