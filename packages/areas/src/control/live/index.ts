// The functions of live events about devices that other areas may use.
export { watchedGroupsOf } from './watched-groups.ts'
