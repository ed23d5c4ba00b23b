/** Limits of a frame. Both sides check what they receive; README.md repeats every number for authors of other agents. */

export const frameBytesMax = 1024 * 1024
/** A frame inside an order leaves room for the order's own fields. */
export const orderedFrameBytesMax = frameBytesMax - 2048
export const smallFrameBytesMax = 64 * 1024
export const heartbeatFrameBytesMax = 4 * 1024
export const helloFrameBytesMax = 8 * 1024

/** Nesting depth of containers; the body is the first level. */
export const depthMax = 8
/** Values in one body, without keys. */
export const valuesMax = 200_000
export const mapKeysMax = 1024
export const keyBytesMax = 255

/** Both numbers use 48 bits between our own processes. */
export const sequenceMax = 2 ** 48 - 1
export const bootIdMax = 2 ** 48 - 1

export const nonceBytes = 32
export const signatureBytes = 64
export const certificateCharsMax = 4096
export const ticketBytesMax = 512
export const ticketSecretBytes = 32
export const resumptionProofBytes = 32
/** The path from an order to the root of a tree with up to a million leaves. */
export const orderPathBytesMax = 20 * 33

export const outputChunkCharsMax = 32 * 1024
export const stdoutCharsMax = 384 * 1024
export const stderrCharsMax = 128 * 1024

export const softwareMax = 10_000
export const servicesMax = 5_000
export const usersMax = 2_000
export const disksMax = 256
export const networkMax = 256
export const driversMax = 5_000
export const updatesMax = 5_000
export const featuresMax = 2_000

export const assignedChecksMax = 1_000
export const observationsMax = 100

/** Facts that a machine watches. */
export const factsMax = 200
/** One finding as JSON. Contents of files are never sent. */
export const factBytesMax = 4 * 1024
