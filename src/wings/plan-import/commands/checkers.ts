/**
 * Programs that do nothing but check, and the arguments with which this is true (plans-from-elsewhere.md, What becomes
 * of what).
 */

/**
 * Programs that only read, unless their arguments match the pattern: then they write, start another program or run
 * forever.
 */
export const READING_PROGRAMS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'grep egrep fgrep ag ack test cat head ls ll diff cmp wc stat file which type jq cut tr column seq basename dirname realpath readlink sha256sum md5sum shasum du df ps id whoami uname printenv nl fold rev pwd comm paste od strings true false'
      .split(' ')
      .map((program) => [program, /^(?=a)b/]),
  ),
  yq: /(?:^| )-[a-zA-Z]*i|--in-?place/,
  sleep: /^(?!\d{1,2}$)/,
  rg: /--(?:pre|hostname-bin)\b/,
  tail: /(?:^| )-[a-zA-Z]*[fF]|--follow/,
  tree: /(?:^| )-o\b/,
  uniq: /\S+ \S+$/,
  sort: /(?:^| )(?:-[a-zA-Z]*o|--output|--compress-program)/,
  find: /-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls)\b/,
  awk: /system\s*\(|getline|print[^}]*[>|]|(?:^| )-i\b|--in-?place/,
  sed: /(?:^| )(?:-[a-zA-Z]*i|--in-place)|(?:^|[;\d/$} gp])[weWE](?: |$)/,
  tee: /^(?!\/dev\/)/,
  curl: /(?:^|\s)(?:-X\s*(?!GET\b|HEAD\b)\w+|--request[ =](?!GET\b|HEAD\b)|-[a-zA-Z]*[dFTOK]\b|--(?:data|form|upload|remote|config|json|output(?![ =]\/dev\/null))|-[a-zA-Z]*o(?!\s*\/dev\/null))/,
  dot: /-o(?! ?\/dev\/null)/,
  unzip: /^(?!-[lt])/,
  tar: /^(?!-?[a-z]*t)/,
};

/** Matches any arguments. */
const ANY = /^/;
const HELM = /^(?:lint|template)\b/;
const BUILD = /^build\b/;

/**
 * Programs that only check, provided that their arguments match the pattern and no option makes them write. Every other
 * use counts as a change.
 */
export const CHECKING_PROGRAMS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'pytest py.test jest mocha ava tap unittest doctest py_compile compileall tsc vue-tsc svelte-check mypy pyright basedpyright pyre pylint flake8 bandit vulture eslint tslint stylelint oxlint xo standard knip depcheck madge size-limit publint attw markdownlint-cli2 cspell codespell yamllint ajv shellcheck hadolint actionlint zizmor staticcheck govulncheck rspec phpunit pest phpstan psalm phpcs detekt luacheck selene busted tflint tfsec checkov kubeconform kubeval semgrep trivy tox nox ctest bats xmllint html-validate linkinator lychee rollup tsup esbuild typos gitleaks credo'
      .split(' ')
      .map((program) => [program, ANY]),
  ),
  rubocop: /^(?!.*(?:^| )-[aAx]\b)/,
  ktlint: /^(?!.*(?:^| )(?:-F|--format)\b)/,
  markdownlint: /^(?!.*(?:^| )-f\b)/,
  webpack: /^(?!serve|watch)/,
  git: /^(?:(?:-C \S+|--no-pager|--no-optional-locks) )*(?!.*(?:--output\b|--ext-diff\b| -O|--open-files-in-pager))(?:status|diff|log|show|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|cat-file|check-ignore|check-attr|blame|describe|merge-base|merge-tree|shortlog|for-each-ref|show-ref|diff-tree|diff-index|diff-files|verify-commit|verify-tag|fsck|name-rev|whatchanged|count-objects|version|branch(?:$| (?:--?(?:show-current|list|contains|all|remotes|verbose|a|r|v{1,2})\b))|tag(?:$| (?:-l|--list|--contains|--points-at)\b)|remote(?:$| (?:-v|show|get-url)\b)|stash (?:list|show)\b|worktree list\b|submodule status\b|config (?:--get|--list|-l|get|list)\b|notes (?:list|show)\b|reflog(?:$| show\b)|lfs (?:ls-files|status)\b)/,
  gh: /^(?!.*--(?:web|watch)\b)(?:\w+ (?:view|list|status|diff|checks)\b|status\b|search\b|api (?!.*(?:-X|--method|-f|-F|--field|--raw-field|--input)\b))/,
  docker:
    /^(?:ps|images|inspect|version|info|logs|build|compose (?:config|ps|build|logs)|image (?:ls|inspect))\b(?!.* (?:-f|--follow|--push)\b)/,
  kubectl: /^(?:get|describe|explain|version|diff|auth can-i|rollout status)\b(?!.* (?:-w|--watch)\b)/,
  helm: HELM,
  terraform: /^(?:validate|fmt .*-check|plan(?!.*-out)|show|output|version|graph|providers)\b/,
  tofu: /^(?:validate|fmt .*-check|plan(?!.*-out)|show|output|version)\b/,
  supabase: /^(?:status|db (?:lint|diff)|migration list|test)\b/,
  prisma: /^(?:validate|format .*--check|migrate status|version)\b/,
  cargo:
    /^(?:\+\S+ )?(?:build|b|check|c|test|t|clippy|bench|doc|tree|metadata|nextest|audit|deny|miri|llvm-cov|machete|udeps|semver-checks|outdated|fmt .*--check|insta test|version)\b/,
  go: /^(?:build|test|vet|list|version|doc|tool (?:cover|vet)|mod (?:verify|graph|why))\b/,
  pip: /^(?:check|list|show|freeze|index)\b/,
  uv: /^(?:pip (?:check|list|show|freeze)|lock .*--check|tree|build)\b/,
  poetry: /^(?:check|show|build|env info|lock .*--check)\b/,
  bundle: /^(?:check|list|show|info|audit|outdated)\b/,
  vitest: /^(?:run|list|typecheck|.*--run)\b/,
  playwright: /^test\b/,
  cypress: /^(?:run|verify)\b/,
  'golangci-lint': /^run\b/,
  ruff: /^(?:check|format .*--(?:check|diff)|rule|version)\b/,
  biome: /^(?:check|lint|ci|format)\b/,
  prettier: /(?:^| )(?:--check|-c|-l|--list-different)\b/,
  black: /--(?:check|diff)\b/,
  isort: /(?:^| )(?:--check(?:-only)?|-c|--diff)\b/,
  gofmt: /^-[ld]/,
  goimports: /^-[ld]/,
  rustfmt: /--check\b/,
  swiftformat: /--lint\b/,
  swiftlint: /^(?:$|lint\b(?!.*--fix))/,
  stylua: /--check\b/,
  dart: /^(?:analyze|test|format .*--set-exit-if-changed|compile)\b/,
  mix: /^(?:test|compile|credo|dialyzer|format --check-formatted|xref|hex\.audit|deps\.unlock --check-unused)\b/,
  cmake: /^--build\b(?!.*install)/,
  vite: BUILD,
  next: /^(?:build|lint)\b/,
  wrangler: /^(?:whoami|types|deploy .*--dry-run|d1 (?:list|info))\b/,
  firebase: /^projects:list/,
  sls: HELM,
  nginx: /^-t/,
};
