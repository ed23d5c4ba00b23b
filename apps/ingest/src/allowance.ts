import type { Limits } from './limits.ts'

/**
 * What one device may send. It is part of the connection and refilled on use. All fields are integers below 2^31,
 * which the engine stores inside the object; a fraction or a full timestamp would cost a heap object each.
 */
export interface Allowance {
  milliFrames: number
  bytes: number
  /** Time of the last refill: the lowest 32 bits of the Unix time in ms. */
  refilledAt: number
}

/** The rates of all devices. */
export interface Rates {
  milliFramesPerMs: number
  milliFramesBurst: number
  bytesPerMs: number
  bytesBurst: number
}

export function createRates(framesPerSecond: number, limits: Limits): Rates {
  return {
    milliFramesPerMs: framesPerSecond,
    milliFramesBurst: framesPerSecond * limits.frameBurstSeconds * 1000,
    bytesPerMs: limits.deviceBytesPerSecond / 1000,
    bytesBurst: limits.deviceBytesBurst,
  }
}

/** Takes a frame of `bytes` from the allowance; false when the allowance is used up. */
export function takeFrame(allowance: Allowance, rates: Rates, nowMs: number, bytes: number): boolean {
  const elapsedMs = (nowMs - allowance.refilledAt) | 0
  allowance.refilledAt = nowMs | 0
  // When the clock is set back, the device only loses the refill of the apparent time.
  if (elapsedMs > 0) {
    const milliFrames = allowance.milliFrames + elapsedMs * rates.milliFramesPerMs
    allowance.milliFrames = Math.min(rates.milliFramesBurst, milliFrames) | 0
    allowance.bytes = Math.min(rates.bytesBurst, allowance.bytes + elapsedMs * rates.bytesPerMs) | 0
  }
  if (allowance.milliFrames < 1000 || allowance.bytes < bytes) return false
  allowance.milliFrames -= 1000
  allowance.bytes -= bytes
  return true
}
