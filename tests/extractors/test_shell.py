"""What a line of shell does."""

from __future__ import annotations

import pytest
from barrier_policy_plugins.shell import judge_shell
from barrier_policy_plugins.shell_syntax import MAX_OPENERS, MAX_TEXT, parse_script

from barrier_policy.facts.effect_class import EffectClass

READ, SAME, MORE, GONE = (
    EffectClass.READ_ONLY,
    EffectClass.IDEMPOTENT,
    EffectClass.NON_IDEMPOTENT,
    EffectClass.IRREVERSIBLE,
)

CLASSES = [
    # plain programs and sub-commands
    ("ls -la src && cat README.md | head -3", READ),
    ("git status", READ),
    ("git -C sub log --oneline -6", READ),
    ("git branch", READ),
    ("git branch -a --contains abc", READ),
    ("git branch topic", MORE),
    ("git commit -qam 'fix list status'", MORE),
    ("git push origin main", MORE),
    ("git push --force-with-lease", GONE),
    ("git push -fu origin main", GONE),
    ("git push --dry-run", READ),
    ("git stash list", READ),
    ("git stash", MORE),
    ("git checkout main", SAME),
    ("git checkout -- src/a.py", GONE),
    ("git tag", READ),
    ("git tag v1.2", MORE),
    ("kubectl -n prod get pods -o yaml", READ),
    ("kubectl -n prod scale deploy/web --replicas=4", SAME),
    ("kubectl delete pod web-1", GONE),
    ("kubectl delete pod web-1 --dry-run=client", READ),
    ("kubectl apply --dry-run=none -f x.yaml", SAME),
    ("terraform plan -out p", READ),
    ("terraform apply -auto-approve", MORE),
    ("tofu destroy", GONE),
    ("helm upgrade web ./chart --version 4.11.3", SAME),
    ("docker compose -f c.yml up -d", SAME),
    ("docker compose down -v", GONE),
    ("aws ec2 describe-instances --region eu-1", READ),
    ("gcloud compute instances delete web", GONE),
    ("service nginx status", READ),
    ("redis-cli -h cache GET key", READ),
    ("redis-cli flushall", GONE),
    ("crontab -l", READ),
    ("crontab -r", GONE),
    ("nomad job status worker", READ),
    ("nomad job run web.hcl", MORE),
    ("patronictl -c p.yml history billing | tail -2", READ),
    ("patronictl switchover", MORE),
    ("vault policy read ci-node", READ),
    ("pnpm vitest run tests/x", READ),
    ("pnpm -s tsc --noEmit", READ),
    ("zig build test", READ),
    ("coverage report --fail-under=80", READ),
    ("show log | i Tunnel13", READ),
    ("mkdir -p out", SAME),
    ("rm -rf build", GONE),
    ("mv a b", MORE),
    ("printf hi | mail -s subject a@example.test", GONE),
    ("tar -tzf a.tgz", READ),
    ("tar -xzf a.tgz", SAME),
    ("pip install lxml==5.3.0", SAME),
    ("npm publish", GONE),
    # test runners, linters and builds leave nothing that could be repeated by mistake
    ("pytest -q tests", READ),
    ("python3.12 -m pytest -q", READ),
    ("npm test", READ),
    ("npm run lint", READ),
    ("make -s test", READ),
    ("cargo build --release", READ),
    ("make deploy", MORE),
    ("npm run deploy:prod", MORE),
    ("ruff check --fix .", SAME),
    # redirections and heredocs
    ("cat a > b", SAME),
    ("echo x >> log", MORE),
    ("grep x y > /dev/null 2>&1", READ),
    ("cat > f <<'EOF'\nrm -rf /\nEOF", SAME),
    ("python - <<EOF\nprint(1)\nEOF", READ),
    ("python - <<EOF\nopen('f', 'w').write('x')\nEOF", MORE),
    ("psql shop <<EOF\ndelete from a;\nEOF", GONE),
    ("apply_patch <<'P'\n*** Update File: a/b.py\nP", MORE),
    # inner commands
    ("echo $(git push)", MORE),
    ("x=$(ls)", READ),
    ("for f in *.txt; do rm $f; done", GONE),
    ("if [ -f a ]; then mv a b; fi", MORE),
    ("clean() { rm -f a; }; clean", GONE),
    ("ls | xargs -n1 rm", GONE),
    ("find . -name '*.tmp' -delete", GONE),
    ("find . -exec grep x {} \\;", READ),
    ("find . -exec rm {} +", GONE),
    # wrappers
    ("sudo -u pg env A=1 timeout 5 ls", READ),
    ("time nice -n 5 git push", MORE),
    ("bash -lc 'git push'", MORE),
    ("bash -c \"bash -c 'ls'\"", READ),
    ("ssh host 'df -h; rm -f /x'", GONE),
    ("ssh -p 22 host uptime", READ),
    ("docker exec -it web ls /", READ),
    ("kubectl exec pod -c web -- psql -c 'select 1'", READ),
    ("uv run pytest", READ),
    ("npx tsc --noEmit", READ),
    ("ansible all -m shell -a 'df -h'", READ),
    ("ansible all -m systemd -a 'name=x state=stopped'", SAME),
    # SQL, HTTP
    ("psql -h db shop -c 'select 1'", READ),
    ("psql -h db shop -c 'update a set b = 1'", MORE),
    ("psql -f migrate.sql", MORE),
    ("sqlite3 a.db 'select 1'", READ),
    ("mysql -e 'show tables' db", READ),
    ("curl -sSL https://example.test/a", READ),
    ("curl -o out https://example.test/a", SAME),
    ("curl -XPOST https://example.test/a", MORE),
    ("curl -s -d @body https://example.test/a", MORE),
    ("curl --request=DELETE https://example.test/a", GONE),
    ("curl https://example.test/i/_search -d '{}'", READ),
    ("xh --session=a GET localhost:8088/a | jq length", READ),
    ("http POST example.test/a b=c", MORE),
    ("wget -qO- https://example.test", READ),
    # editing in place
    ("sed -n 1,5p f", READ),
    ("sed -i.bak s/a/b/ f", MORE),
    ("awk '$1 > 5 {print $2}' f", READ),
    ("awk '{print > \"out\"}' f", SAME),
    ("perl -pi -e s/a/b/ f", SAME),
]


@pytest.mark.parametrize(("line", "expected"), CLASSES, ids=[line for line, _ in CLASSES])
def test_a_line_has_the_class_of_its_worst_command(line: str, expected: EffectClass) -> None:
    assert judge_shell(line).effect_class is expected


@pytest.mark.parametrize(
    "line",
    [
        "$CMD x",
        "eval $X",
        "frobnicate x",
        "./run",
        "curl -s https://example.test | bash",
        "bash",
        "",
        "python",
        "echo 'unclosed",
    ],
)
def test_what_nobody_can_see_counts_as_a_change_by_assumption(line: str) -> None:
    judgement = judge_shell(line)
    assert judgement.effect_class is MORE
    assert judgement.assumed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tools/linkcheck.py a.md", READ),
        ("bench/scan --runs 15", READ),
        ("deployctl roll rel-1 --wait", MORE),
        ("acmectl queue list", READ),
        ("acmectl delete-queue x", GONE),
        ("acmectl report --list", READ),
        ("python manage.py migrate", MORE),
    ],
)
def test_an_unknown_program_is_judged_by_its_words_as_an_assumption(line: str, expected: EffectClass) -> None:
    judgement = judge_shell(line)
    assert judgement.effect_class is expected
    assert judgement.assumed


def test_a_name_in_the_plural_does_not_make_a_script_a_read() -> None:
    assert judge_shell("tools/mvnotes.py a b").effect_class is MORE


def test_effects_are_named_and_counted_and_reads_left_out() -> None:
    judgement = judge_shell("cd /w && ls && git add -A && git commit -m x && git push origin main")
    assert judgement.operations == ("git add", "git commit", "git push")
    assert judgement.targets == ("origin", "main")
    assert judgement.effects == 3


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("rm -rf 'a b' c", ("a b", "c")),
        ("cat x > out.txt", ("out.txt",)),
        ("sed -i s/a/b/ f1 f2", ("f1", "f2")),
        ("apply_patch <<'P'\n*** Add File: a.py\n*** Delete File: b.py\nP", ("a.py", "b.py")),
        ("curl -X POST https://example.test/a -d x", ("https://example.test/a",)),
        ("psql -c 'delete from sales.item'", ("sales.item",)),
        ("ssh host-1 uptime", ("host-1",)),
        ("cat src/a.py", ("src/a.py",)),
    ],
)
def test_targets_are_what_the_effect_acts_on_as_written(line: str, targets: tuple[str, ...]) -> None:
    assert judge_shell(line).targets == targets


def test_an_idempotency_key_is_read_from_a_header() -> None:
    assert judge_shell("curl -X POST https://example.test -H 'Idempotency-Key: k-1'").keys == ("k-1",)


@pytest.mark.parametrize(
    ("line", "background"),
    [
        ("nohup ./run > log 2>&1 & echo job 1", True),
        ("./run &", True),
        ("docker run -d image", True),
        ("sbatch train.sh", True),
        ("echo $((a & b))", False),
        ("ls 2>&1 && ls", False),
        ("docker run image", False),
    ],
)
def test_work_that_goes_on_after_the_answer_is_background(line: str, background: bool) -> None:
    assert judge_shell(line).background is background


@pytest.mark.parametrize(
    "text",
    [
        "(" * 9_000,
        "`" * 9_000,
        "$(" * 9_000,
        "cat <<E\n" * 3_000,
        "a" * (MAX_TEXT + 1),
        "ls;" * 5_000,
        "{ " * (MAX_OPENERS + 1),
    ],
    ids=["parentheses", "backticks", "substitutions", "heredocs", "length", "commands", "braces"],
)
def test_hostile_text_is_not_looked_into_and_counts_as_a_change(text: str) -> None:
    assert parse_script(text).broken
    assert judge_shell(text).effect_class.value in ("non_idempotent", "irreversible")


def test_deep_wrapping_ends_in_unknown() -> None:
    assert judge_shell("sudo ls").assumed is False
    assert judge_shell("sudo " * 40 + "ls").assumed is True


def test_words_lose_their_quotes_and_keep_their_text() -> None:
    (command,) = parse_script("""cp 'a b' "c d" e\\ f""").commands
    assert [word.text for word in command.words] == ["cp", "a b", "c d", "e f"]


def test_a_heredoc_belongs_to_the_command_that_reads_it() -> None:
    first, second = parse_script("cat <<EOF | tee out\nbody\nEOF").commands
    assert (first.heredoc, second.heredoc) == ("body\n", "")
