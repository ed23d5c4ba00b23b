// The functions of device groups that other areas may use.
export { leaveGroups, leaveGroupsOfOtherSites } from './membership.ts'
