/** Every bound of the agent, with its unit. Queues, files, waits: nothing grows or lasts beyond what stands here. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const kib = 1024
const mib = 1024 * kib

// Coming back. Full jitter: the wait is drawn evenly from zero to a window that grows with the outage.
export const retryWindowFirstMs = 4 * second
export const retryWindowMaxMs = minute
export const retryDelayMinMs = 100
/** A connection that held this long was a good one: the next outage starts with the first window again. */
export const connectionStableMs = minute
/** A server that refuses this certificate is asked again this rarely, so that its mistake does not lose the fleet. */
export const refusedCertificateDelayMs = hour
/** However long a server asks to stay away, an agent comes to look this often. */
export const retryHintMaxMs = hour

// One socket.
export const handshakeTimeoutMs = 15 * second
/** For the proxy to reach the server. */
export const proxyTimeoutMs = 10 * second
export const welcomeTimeoutMs = 30 * second
export const livenessCheckMs = 5 * second
/** An answer is due after a frame that wants an acknowledgement; without one the peer is probed, then given up. */
export const answerTimeoutMs = 20 * second
export const silenceTimeoutMs = 90 * second
export const probeTimeoutMs = 10 * second
export const socketBacklogBytesMax = mib

// Frames that wait to be acknowledged.
export const outboxFramesMax = 512
export const outboxBytesMax = 4 * mib
/** A server stamps a heartbeat when it arrives: one that waited longer would say something wrong. */
export const heartbeatAgeMaxMs = 5 * minute
/** Frames on a live connection that nobody acknowledged are sent again after this long. */
export const resendAfterMs = 45 * second
/** Three quarters of what a server grants each device. */
export const sendingRates = {
  framesBurst: 180,
  framesPerSecond: 3,
  bytesBurst: 6 * mib,
  bytesPerSecond: 192 * kib,
}

// Orders.
/** Orders that were obeyed and may still be repeated. */
export const ordersRememberedMax = 20_000
/** How far ahead of this machine's clock a signed time is believed. */
export const signedTimeAheadMaxMs = 24 * hour
/** When the clock moved by more than this beside the time that passed, it was set. */
export const clockJumpMs = minute
/** The administration server is asked for keys and time no more often than this. */
export const orderKeysAskMs = minute
/** Answers to what is refused. */
export const refusalRates = { framesBurst: 20, framesPerSecond: 0.2, bytesBurst: 1, bytesPerSecond: 1 }
/** How soon an agent without keys asks for them again, at most. */
export const orderKeysRetryMaxMs = 10 * minute

// Heartbeats.
export const heartbeatMsMin = 100
export const heartbeatMsMax = hour

// Inventory.
export const inventoryEveryMs = 6 * hour
/** A restart of many agents at once must not have all machines list their packages in the same minute. */
export const inventoryJitterMs = minute
export const inventoryTimeoutMs = 2 * minute
export const inventoryOutputBytesMax = 16 * mib
export const toolTimeoutMs = 30 * second
export const toolOutputBytesMax = 8 * mib

// Commands.
export const commandsAtOnce = 8
export const commandsWaitingMax = 1000
export const outputBytesMax = 256 * kib
export const progressEveryMs = second
export const progressBytesMax = 32 * kib
/** A script asked to end has this long before it is killed. */
export const scriptGraceMs = 2 * second
/** A finished script whose output pipe is still held open by something it started is not waited for longer. */
export const outputDrainMs = second
/** A command that does not answer its own abortion is given up. */
export const abortGraceMs = 10 * second

// Requests that somebody waits for.
export const requestsAtOnce = 8
export const requestsWaitingMax = 200
export const requestsRemembered = 2_000

// Journal.
export const journalBytesMax = 16 * mib
/** Results that the server has are kept for repeated questions, newest first, up to so many bytes. */
export const journalKeptResultBytesMax = 4 * mib
export const journalEntriesMax = 20_000
/** How long after its expiry a finished command is remembered: more than two clocks may differ. */
export const journalMemoryMs = 48 * hour

// Enrolment.
export const enrolTimeoutMs = 30 * second
export const enrolmentKeyBytesMax = 4 * kib
export const enrolAnswerBytesMax = 64 * kib

/** From the signal to the end of the process. */
export const shutdownMs = 4500
/** How much of that is for ending scripts, and then for sending their results. */
export const shutdownScriptsMs = 2500
export const shutdownFlushMs = 1500

// Updates.
export const barredVersionsMax = 50
export const updateRetryFirstMs = minute
export const updateRetryMaxMs = 24 * hour
/** A new version that ends this often before it has proved itself has failed. */
export const startsInTrialMax = 3
/** No executable of an agent is larger. */
export const executableBytesMax = 512 * mib
/** What the process that fetches is told, a trusted root included. */
export const jobCharsMax = mib
/** Room that a download leaves on the disk. */
export const diskReserveBytes = 32 * mib
export const downloadStallMs = minute
/** Longer downloads are cut off, and go on from there at the next attempt. */
export const downloadTimeoutMs = 30 * minute
export const downloadTriesMax = 5
export const downloadPauseMs = 2 * second
export const redirectsMax = 5
export const metadataTimeoutMs = minute
/** A checked executable has this long to tell its version before anything is replaced. */
export const firstWordsTimeoutMs = 30 * second

// The watchdog.
/** From its start a new version has this long until the server has acknowledged a heartbeat. */
export const confirmMs = minute
/** While the watchdog itself cannot reach the server, nothing can be said against a new version for so long. */
export const confirmOfflineMs = 15 * minute
export const linkRetryMs = 250
export const pingEveryMs = 15 * second
/** An agent that leaves this many questions in a row unanswered hangs. */
export const pingsUnansweredMax = 3
/** An agent that has no connection although the watchdog has one is started anew after this long. */
export const agentSilenceMaxMs = 10 * minute
export const restartDelayFirstMs = second
export const restartDelayMaxMs = minute
/** An agent that ran for this long was no failed start. */
export const goodRunMs = minute
/** After so many starts in a row of which none answered, the backup takes its place. */
export const failedStartsMax = 5
/** An agent asked to end has this long before it is killed. */
export const agentGraceMs = 8 * second
export const controlLineBytesMax = 4 * kib

// Taking the data folder while another process holds it.
export const claimRetryFirstMs = second
export const claimRetryMaxMs = 30 * second
