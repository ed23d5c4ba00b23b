/** Every limit of the agent, with its unit: queues, files and waits. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const kib = 1024
const mib = 1024 * kib

// Reconnecting. Full jitter: the wait is drawn evenly from zero to a window that grows with the outage.
export const retryWindowFirstMs = 4 * second
export const retryWindowMaxMs = minute
export const retryDelayMinMs = 100
/** A connection that lasted this long resets the window for the next outage. */
export const connectionStableMs = minute
/** Retry interval when the server rejects this certificate, so that a mistake of the server does not lose the fleet. */
export const refusedCertificateDelayMs = hour
/** Upper limit for a delay that a server asks for. */
export const retryHintMaxMs = hour

// One socket.
export const handshakeTimeoutMs = 15 * second
/** For the proxy to reach the server. */
export const proxyTimeoutMs = 10 * second
export const welcomeTimeoutMs = 30 * second
export const livenessCheckMs = 5 * second
/** An answer is due after a frame that needs an acknowledgment; without one the peer is probed, then given up. */
export const answerTimeoutMs = 20 * second
export const silenceTimeoutMs = 90 * second
export const probeTimeoutMs = 10 * second
export const socketBacklogBytesMax = mib

// Frames that wait to be acknowledged.
export const outboxFramesMax = 512
export const outboxBytesMax = 4 * mib
/** A server timestamps a heartbeat on arrival, so an older one would be misleading. */
export const heartbeatAgeMaxMs = 5 * minute
/** Unacknowledged frames on a live connection are sent again after this long. */
export const resendAfterMs = 45 * second
/** Three quarters of the server's limit per device. */
export const sendingRates = {
  framesBurst: 180,
  framesPerSecond: 3,
  bytesBurst: 6 * mib,
  bytesPerSecond: 192 * kib,
}

// Orders.
/** Executed orders that could still be replayed. */
export const ordersRememberedMax = 20_000
/** How far ahead of this machine's clock a signed time may be. */
export const signedTimeAheadMaxMs = 24 * hour
/** A difference between clock and elapsed time above this means that the clock was set. */
export const clockJumpMs = minute
/** Minimum interval between requests to the administration server for keys and time. */
export const orderKeysAskMs = minute
/** Rates of requests to the administration server for the keys of grants. */
export const grantQuestionRates = { framesBurst: 10, framesPerSecond: 0.02, bytesBurst: 1, bytesPerSecond: 1 }
/** Clocks may differ by this when the expiration of a script's grant is checked. */
export const grantToleranceMs = 10 * minute
/** Rates of refusal messages. */
export const refusalRates = { framesBurst: 20, framesPerSecond: 0.2, bytesBurst: 1, bytesPerSecond: 1 }
/** Retry interval of an agent without order keys, at most. */
export const orderKeysRetryMaxMs = 10 * minute

// Heartbeats.
export const heartbeatMsMin = 100
export const heartbeatMsMax = hour

// Inventory.
export const inventoryEveryMs = 6 * hour
/** Agents that restart together must not all list their packages in the same minute. */
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
/** Time between asking a script to end and killing it. */
export const scriptGraceMs = 2 * second
/** Wait for the end of a finished script's output, whose pipe a child process may hold open. */
export const outputDrainMs = second
/** A command that does not react to its abort is given up after this. */
export const abortGraceMs = 10 * second

// Requests whose requester waits.
export const requestsAtOnce = 8
export const requestsWaitingMax = 200
export const requestsRemembered = 2_000

// Assigned checks.
export const checksAtOnce = 64
/** Changes within this time share a frame. */
export const observationChangesMs = 200
export const observationEveryMs = minute

// Journal.
export const journalBytesMax = 16 * mib
/** Acknowledged results are kept for repeated commands, newest first, up to this size. */
export const journalKeptResultBytesMax = 4 * mib
export const journalEntriesMax = 20_000
/** How long after its expiry a finished command is remembered: more than two clocks can differ. */
export const journalMemoryMs = 48 * hour

// Enrollment.
export const enrollTimeoutMs = 30 * second
export const enrollmentKeyBytesMax = 4 * kib
export const enrollAnswerBytesMax = 64 * kib

/** From the signal to the end of the process. */
export const shutdownMs = 4500
/** Shares of it for ending scripts, and then for sending their results. */
export const shutdownScriptsMs = 2500
export const shutdownFlushMs = 1500

// Updates.
export const barredVersionsMax = 50
export const updateRetryFirstMs = minute
export const updateRetryMaxMs = 24 * hour
/** A new version that ends this often before it is confirmed has failed. */
export const startsInTrialMax = 3
/** Maximum size of an executable. */
export const executableBytesMax = 512 * mib
/** Maximum input of the fetching process, including a trusted root. */
export const jobCharsMax = mib
/** Free disk space that a download must leave. */
export const diskReserveBytes = 32 * mib
export const downloadStallMs = minute
/** A longer download is interrupted, and resumed at the next attempt. */
export const downloadTimeoutMs = 30 * minute
export const downloadTriesMax = 5
export const downloadPauseMs = 2 * second
export const redirectsMax = 5
export const metadataTimeoutMs = minute
/** Time for a verified executable to print its version before anything is replaced. */
export const versionCheckTimeoutMs = 30 * second

// The watchdog.
/** Time from the start of a new version until the server must have acknowledged a heartbeat. */
export const confirmMs = minute
/** The same while the watchdog itself cannot reach the server. */
export const confirmOfflineMs = 15 * minute
export const linkRetryMs = 250
export const pingEveryMs = 15 * second
/** An agent that leaves this many consecutive requests unanswered counts as hung. */
export const pingsUnansweredMax = 3
/** An agent without a connection is restarted after this long, if the watchdog is connected. */
export const agentSilenceMaxMs = 10 * minute
export const restartDelayFirstMs = second
export const restartDelayMaxMs = minute
/** An agent that ran this long did not fail to start. */
export const goodRunMs = minute
/** After this many consecutive failed starts the backup replaces the executable. */
export const failedStartsMax = 5
/** Time between asking an agent to end and killing it. */
export const agentGraceMs = 8 * second
export const controlLineBytesMax = 4 * kib
/** The log of a service that is larger at its start is put aside. */
export const serviceLogBytesMax = 4 * mib

// Claiming the data folder while another process holds it.
export const claimRetryFirstMs = second
export const claimRetryMaxMs = 30 * second

// Memory of an idle process.
export const heapCheckMs = 20 * second
/** Growth since the last collection that is worth another one. */
export const heapGrowthBytes = mib

// Facts.
/** Files are looked at this often besides their events, and so are firewall and encryption. */
export const factEveryMs = 5 * minute
export const serviceFactEveryMs = minute
/** Facts are looked at within this time after their assignment or the start. */
export const factFirstWithinMs = 500
/** Changes of a file within this time are one. */
export const factSettleMs = 200
/** Between two looks at a file that changes all the time, as a multiple of how long a look takes; at least a second. */
export const factRestFactor = 50
export const factRestMinMs = second
export const factLookTimeoutMs = minute
/** Looks that do not end take threads that everything else needs: with this many, no further ones begin. */
export const factLooksStuckMax = 2
/** Findings of one frame, as JSON. */
export const factFrameBytesMax = 48 * kib
/** Acknowledgments within this time are one write to the disk. */
export const factsKeptAfterMs = 5 * second
/** Everything is reported again after this, in case that the server lost something. */
export const factsRepeatMs = 24 * hour
