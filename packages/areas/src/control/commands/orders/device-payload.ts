import type { CommandOrder } from './validate-order.ts'

/** The payload of an order for a device: with the variables that only it gets. */
export function payloadFor(
  { payload, deviceEnv }: Pick<CommandOrder, 'payload' | 'deviceEnv'>,
  deviceId: string,
): CommandOrder['payload'] {
  const env = deviceEnv?.get(deviceId)
  return env === undefined ? payload : { ...payload, env: { ...Object(payload.env), ...env } }
}
