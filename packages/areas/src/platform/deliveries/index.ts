// The functions of deliveries that other areas and the worker may use.
export { connectionsOf, postJson, workerConnections } from './answers.ts'
export { Deliverer } from './deliverer.ts'
export { closeLane, dropLane, healthOf, noteTry, renewLane, reopenLane, setLane } from './lanes.ts'
export { enqueue, repeatDeliveries } from './queue.ts'
export type { OutgoingSettings } from './settings.ts'
export { newSigningSecret, signedHeaders } from './signature.ts'
export { deliverNow } from './wake.ts'
