// The functions of the lifecycle of devices that the worker may use.
export { rebuildGenerations } from './generations.jobs.ts'
