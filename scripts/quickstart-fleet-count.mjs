// Counts the figures of `observe baseline` from the events alone, sharing no code with the command that it checks.

/**
 * Counts events with the same id only once. An event may be recorded twice: a lease that expired and was renewed before
 * any other worker took the goal can expire again.
 * @param {object[]} all
 * @returns {Record<string, number | null>} the figures, by name
 */
export function countByHand(all) {
  const events = [...new Map(all.map((event) => [event.event_id, event])).values()];
  const of = (type) => events.filter(({ event_type: one }) => one === type);
  const runs = new Map();
  for (const { timestamp, payload } of of('auto_attempt')) {
    const key = `${payload.run_id} ${payload.goal_id}`;
    runs.set(key, [...(runs.get(key) ?? []), { at: Date.parse(timestamp), ...payload }]);
  }
  const rows = [...runs.values()].map((run) => run.sort((a, b) => a.at - b.at || a.attempt - b.attempt));
  const last = rows.map((run) => run.at(-1));
  const good = last.filter(({ success }) => success === true);
  const repairs = rows.flatMap((run) => {
    const failed = run.findIndex(({ success }) => success !== true);
    const mended = failed === -1 ? undefined : run.slice(failed).find(({ success }) => success === true);
    return mended === undefined ? [] : [(mended.at - run[failed].at) / 60_000];
  });
  const created = of('queue_claim_created').length;
  const rejected = of('queue_claim_rejected');
  const reused = of('queue_idempotent_claim_reused').length;
  const sum = (all) => all.reduce((total, one) => total + one, 0);
  const share = (part, whole) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000);
  const shareOfRuns = (fits) => share(rows.filter(fits).length, rows.length);
  return {
    goal_runs: rows.length,
    success_rate: share(good.length, rows.length),
    first_pass_success_rate: shareOfRuns(
      (run) => run.at(-1).attempt === 1 && run.every(({ success }) => success === true),
    ),
    retry_rate: shareOfRuns((run) =>
      run.some(({ attempt, action_taken: action }) => attempt > 1 || action === 'retry'),
    ),
    block_rate: share(last.filter(({ action_taken: action }) => action === 'block').length, rows.length),
    security_incident_rate: shareOfRuns((run) => run.some((one) => one.failure_classification === 'security')),
    mean_attempts_to_success: share(sum(good.map(({ attempt }) => attempt)), good.length),
    mttr_minutes: repairs.length === 0 ? null : Math.round((sum(repairs) / repairs.length) * 100) / 100,
    claim_attempts: created + rejected.length,
    claim_collision_rate: share(
      rejected.filter(({ payload }) => payload.reason_code === 'goal_already_claimed').length,
      created + rejected.length,
    ),
    idempotent_reuse_rate: share(reused, reused + created),
    stale_lease_recovery_count: of('queue_claim_expired').length,
  };
}
