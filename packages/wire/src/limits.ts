/** What one frame may hold. Both sides check what they receive; README.md repeats every number for other authors. */

export const frameBytesMax = 1024 * 1024
/** A frame that is put into an order leaves room for what the order says of it. */
export const orderedFrameBytesMax = frameBytesMax - 2048
export const smallFrameBytesMax = 64 * 1024
export const heartbeatFrameBytesMax = 4 * 1024
export const helloFrameBytesMax = 8 * 1024

/** Containers inside containers, the body itself being the first. */
export const depthMax = 8
/** Values of one body, keys not counted. */
export const valuesMax = 200_000
export const mapKeysMax = 1024
export const keyBytesMax = 255

/** Both numbers travel in 48 bits between our own processes. */
export const sequenceMax = 2 ** 48 - 1
export const bootIdMax = 2 ** 48 - 1

export const nonceBytes = 32
export const signatureBytes = 64
export const certificateCharsMax = 4096
export const ticketBytesMax = 512
export const ticketSecretBytes = 32
export const resumptionProofBytes = 32
/** From an order to the root of a tree of up to a million. */
export const orderPathBytesMax = 20 * 33

export const outputChunkCharsMax = 32 * 1024
export const stdoutCharsMax = 384 * 1024
export const stderrCharsMax = 128 * 1024

export const softwareMax = 10_000
export const servicesMax = 5_000
export const usersMax = 2_000
export const disksMax = 256
export const networkMax = 256
