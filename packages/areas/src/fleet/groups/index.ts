// What other areas may use of device groups.
export { leaveGroups, leaveGroupsOfOtherSites } from './membership.ts'
