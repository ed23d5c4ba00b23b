// What other areas may use of device groups.
export { leaveGroups } from './membership.ts'
