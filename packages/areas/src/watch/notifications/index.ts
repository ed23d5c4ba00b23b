// The functions of notifications that other areas may use.
export { type Notice, notify } from './notify.ts'
