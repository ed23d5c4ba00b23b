import type { Limits } from './limits.ts'

/**
 * What one device may send. Part of its connection, refilled when it is looked at. All of it are integers below 2^31,
 * which the engine keeps inside the object; a fraction or the time of day would cost an object of its own each.
 */
export interface Allowance {
  milliFrames: number
  bytes: number
  /** The time of day in ms, its lowest 32 bits. */
  refilledAt: number
}

/** The rates that all devices share. */
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

/** Takes a frame of so many bytes from the allowance; false when it is used up. */
export function takeFrame(allowance: Allowance, rates: Rates, nowMs: number, bytes: number): boolean {
  const elapsedMs = (nowMs - allowance.refilledAt) | 0
  allowance.refilledAt = nowMs | 0
  // A clock that is set back costs the device nothing but the time that it seems to have lost.
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
